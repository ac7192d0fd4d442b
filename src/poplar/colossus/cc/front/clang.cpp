// SPDX-License-Identifier: MIT
/* cc/front: clang, with a target of our own. The only C++ of the compiler. */
#include "poplar/colossus/cc/front/front.h"

#include <atomic>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/Builtins.h>
#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/MacroBuilder.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/CodeGenABITypes.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <mutex>

using namespace clang;

/* --- the target: guide chapter 10.1 ----------------------------------------------------------------------------- */

namespace {

/* clang's factory alone sets the field TargetOpts of a target, which it reads at some places. An explicit
 * instantiation may name a private member. */
template <auto Member> struct Reach {
    friend auto &targetOptions(TargetInfo &target) { return target.*Member; }
};
auto &targetOptions(TargetInfo &target);
template struct Reach<&TargetInfo::TargetOpts>;

#define TW__CC_FILE(f)                                                                                            \
    f "0", f "1", f "2", f "3", f "4", f "5", f "6", f "7", f "8", f "9", f "10", f "11", f "12", f "13", f "14", \
        f "15", f "0:1", f "2:3", f "4:5", f "6:7", f "8:9", f "10:11", f "12:13", f "14:15", f "0:3", f "4:7",   \
        f "8:11", f "12:15"
const char *const registers[] = { TW__CC_FILE("$m"), TW__CC_FILE("m"), TW__CC_FILE("$a"), TW__CC_FILE("a") };
const TargetInfo::GCCRegAlias aliases[] = {
    { { "$sp", "sp" }, "$m11" }, { { "$lr", "lr" }, "$m10" }, { { "$bp", "bp" }, "$m8" }, { { "$fp", "fp" }, "$m9" }
};

class Tile : public TargetInfo {
  public:
    explicit Tile(const llvm::Triple &triple) : TargetInfo(triple)
    {
        resetDataLayout("e-m:e-p:32:32-i64:64-v128:64-a:0:32-n32-S64");
        HasLegalHalfType = HalfArgsAndReturns = HasFloat16 = true;
        TLSSupported = false;
        UseZeroLengthBitfieldAlignment = true;
        TheCXXABI.set(TargetCXXABI::GenericARM);
        SizeType = UnsignedInt;
        PtrDiffType = IntPtrType = SignedInt;
        WCharType = WIntType = UnsignedInt;
        MaxVectorAlign = SuitableAlign = DefaultAlignForAttributeAligned = 64;
        NoAsmVariants = true; /* braces of inline assembly are bundles */
    }
    void getTargetDefines(const LangOptions &, MacroBuilder &builder) const override
    {
        builder.defineMacro("__ELF__");
        builder.defineMacro("__NO_INLINE__"); /* glibc's putchar() would be putc() of a stdout that no tile has */
        builder.defineMacro("__FP_FAST_FMAF", "0"); /* no fused operation */
        builder.undefineMacro("__FP_FAST_FMAF");
    }
    ArrayRef<Builtin::Info> getTargetBuiltins() const override { return {}; }
    BuiltinVaListKind getBuiltinVaListKind() const override { return VoidPtrBuiltinVaList; }
    std::string_view getClobbers() const override { return ""; }
    ArrayRef<const char *> getGCCRegNames() const override { return registers; }
    ArrayRef<GCCRegAlias> getGCCRegAliases() const override { return aliases; }
    bool validateAsmConstraint(const char *&name, ConstraintInfo &info) const override
    {
        if (!strchr("adf", *name)) return false; /* an operand's file follows from its type */
        info.setAllowsRegister();
        return true;
    }
    bool hasInt128Type() const override { return false; }
    bool hasBitIntType() const override { return true; }
};

/* --- messages --------------------------------------------------------------------------------------------------- */

class Messages : public DiagnosticConsumer {
  public:
    explicit Messages(const tw__cc_request *r) : request(r) {}
    void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &info) override
    {
        DiagnosticConsumer::HandleDiagnostic(level, info);
        if (level == DiagnosticsEngine::Ignored || level == DiagnosticsEngine::Remark) return;
        llvm::SmallString<200> text;
        info.FormatDiagnostic(text);
        std::string option = DiagnosticIDs::getWarningOptionForDiag(info.getID()).str(), file = request->path;
        if (!option.empty()) option = "-W" + option;
        tw_diag diag = {};
        diag.length = 1;
        if (info.hasSourceManager() && info.getLocation().isValid()) {
            const SourceManager &sources = info.getSourceManager();
            PresumedLoc at = sources.getPresumedLoc(sources.getFileLoc(info.getLocation()));
            if (at.isValid()) {
                file = at.getFilename();
                diag.line = (int)at.getLine();
                diag.column = (int)at.getColumn();
                diag.length = lengthAt(sources, sources.getFileLoc(info.getLocation()), info);
            }
        }
        diag.file = file.c_str();
        diag.severity = level >= DiagnosticsEngine::Error     ? TW_ERROR
                        : level == DiagnosticsEngine::Warning ? TW_WARNING
                                                              : TW_NOTE;
        diag.code = option.c_str();
        diag.message = text.c_str();
        request->report(request->user, &diag);
    }

  private:
    /* Of the marked range that begins at the place, on its line. */
    static int lengthAt(const SourceManager &sources, SourceLocation place, const Diagnostic &info)
    {
        for (const CharSourceRange &range : info.getRanges()) {
            if (!range.isValid() || sources.getFileLoc(range.getBegin()) != place) continue;
            unsigned from = sources.getFileOffset(place),
                     to = sources.getFileOffset(sources.getFileLoc(range.getEnd()));
            if (range.isCharRange() && to > from &&
                sources.getSpellingLineNumber(range.getEnd()) == sources.getSpellingLineNumber(place))
                return (int)(to - from);
        }
        return 1;
    }
    const tw__cc_request *request;
};

class Headers : public DependencyCollector {
  public:
    bool needSystemDependencies() override { return true; }
    bool sawDependency(StringRef file, bool fromModule, bool isSystem, bool isModuleFile, bool isMissing) override
    {
        return !isMissing && file != "<built-in>" &&
               DependencyCollector::sawDependency(file, fromModule, isSystem, isModuleFile, isMissing);
    }
};

/* --- code ------------------------------------------------------------------------------------------------------- */

/* What a record is as an argument, where the type in the code does not tell: see TW__CC_RECORDS. */
const char *kind_of(const ASTContext &ast, const RecordDecl *record)
{
    if (record->isUnion()) return "pointer";
    const auto *cxx = dyn_cast<CXXRecordDecl>(record);
    if (cxx && cxx->isEmpty()) return "empty";
    unsigned bit_fields = 0, members = 0;
    for (const FieldDecl *field : record->fields()) {
        bit_fields += field->isBitField();
        members += !field->isZeroSize(ast);
    }
    return bit_fields && members > 1 ? "pointer" : nullptr;
}

void list_records(ASTContext &ast, CodeGenerator &generator, llvm::Module &module)
{
    llvm::LLVMContext &context = module.getContext();
    llvm::NamedMDNode *list = nullptr;
    for (const Type *type : ast.getTypes()) {
        const auto *record = dyn_cast<RecordType>(type);
        if (!record) continue;
        const RecordDecl *decl = record->getDecl()->getDefinition();
        if (!decl || decl->isInvalidDecl() || decl->isDependentType()) continue;
        const char *kind = kind_of(ast, decl);
        if (!kind) continue;
        auto *code = dyn_cast<llvm::StructType>(CodeGen::convertTypeForMemory(generator.CGM(), QualType(type, 0)));
        if (!code || !code->hasName()) continue;
        if (!list) list = module.getOrInsertNamedMetadata(TW__CC_RECORDS);
        list->addOperand(llvm::MDNode::get(
            context, { llvm::MDString::get(context, code->getName()), llvm::MDString::get(context, kind) }));
    }
}

/* Functions that popc's entries mark with __attribute__((annotate("tw-context worker"))) get the attribute. */
void mark_contexts(llvm::Module &module)
{
    llvm::GlobalVariable *notes = module.getGlobalVariable("llvm.global.annotations");
    if (!notes) return;
    const auto *list = dyn_cast<llvm::ConstantArray>(notes->getInitializer());
    for (unsigned i = 0; list && i < list->getNumOperands(); i++) {
        const auto *note = dyn_cast<llvm::ConstantStruct>(list->getOperand(i));
        auto *function = note ? dyn_cast<llvm::Function>(note->getOperand(0)) : nullptr;
        const auto *holder = note ? dyn_cast<llvm::GlobalVariable>(note->getOperand(1)) : nullptr;
        const auto *text = holder ? dyn_cast<llvm::ConstantDataArray>(holder->getInitializer()) : nullptr;
        StringRef words = text && text->isCString() ? text->getAsCString() : "";
        if (function && words.consume_front(TW__CC_CONTEXT " ")) function->addFnAttr(TW__CC_CONTEXT, words);
    }
    notes->eraseFromParent();
}

class Action : public ASTFrontendAction {
  public:
    explicit Action(llvm::LLVMContext &c) : context(c) {}
    llvm::Module *module = nullptr;

  protected:
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef file) override
    {
        generator = CreateLLVMCodeGen(compiler.getDiagnostics(), file, &compiler.getVirtualFileSystem(),
                                      compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
                                      compiler.getCodeGenOpts(), context);
        return std::unique_ptr<ASTConsumer>(generator);
    }
    void EndSourceFileAction() override
    {
        if (!generator || getCompilerInstance().getDiagnostics().hasErrorOccurred()) return;
        if (llvm::Module *made = generator->GetModule())
            list_records(getCompilerInstance().getASTContext(), *generator, *made);
        module = generator->ReleaseModule();
        if (module) mark_contexts(*module);
    }

  private:
    llvm::LLVMContext &context;
    CodeGenerator *generator = nullptr; /* the compiler's */
};

const char *const fixed_args[] = { "clang",
                                   "-Qunused-arguments",
                                   "--target=unknown-unknown-unknown-elf",
                                   "-S",
                                   "-fno-rtti",
                                   "-fno-exceptions",
                                   "-fno-threadsafe-statics",
                                   "-fno-math-errno",
                                   "-fno-short-enums",
                                   "-ffp-contract=off",
                                   "-fsigned-char",
                                   "-fno-asynchronous-unwind-tables",
                                   "-gline-tables-only" };

std::unique_ptr<CompilerInvocation> invocation_of(const tw__cc_request *request, DiagnosticsEngine &diags)
{
    std::vector<const char *> args(std::begin(fixed_args), std::end(fixed_args));
    args.insert(args.end(), request->args, request->args + request->arg_count);
    args.insert(args.end(), { "-x", request->language == TW__CC_C ? "c" : "c++", "-" });
    CreateInvocationOptions options;
    options.Diags = &diags;
    return createInvocation(args, options);
}

void set_options(CompilerInvocation &invocation, const char *path)
{
    LangOptions &language = invocation.getLangOpts();
    language.NativeHalfType = language.NativeHalfArgsAndReturns = true; /* __fp16 computes as half does */
    CodeGenOptions &code = invocation.getCodeGenOpts();
    code.DisableLLVMPasses = true;
    code.DisableO0ImplyOptNone = true;
    code.MainFileName = path;
    code.FunctionSections = code.DataSections = true;
    code.setAssignmentTrackingMode(
        CodeGenOptions::AssignmentTrackingOpts::Disabled); /* records of values instead */
    invocation.getFrontendOpts().ProgramAction = frontend::EmitLLVMOnly;
    /* clang's driver leaves what it made to the end of the process. */
    invocation.getFrontendOpts().DisableFree = code.DisableFree = false;
    invocation.getTargetOpts() = TargetOptions();
    invocation.getTargetOpts().Triple = "ipu-unknown-unknown-elf";
}

} // namespace

LLVMModuleRef tw__cc_parse(const tw__cc_request *request, LLVMContextRef context, char ***headers)
{
    IntrusiveRefCntPtr<DiagnosticOptions> options(new DiagnosticOptions);
    IntrusiveRefCntPtr<DiagnosticsEngine> early(
        new DiagnosticsEngine(new DiagnosticIDs, options, new Messages(request)));
    std::shared_ptr<CompilerInvocation> invocation = invocation_of(request, *early);
    if (!invocation || early->hasErrorOccurred()) return nullptr;
    set_options(*invocation, request->path);

    CompilerInstance compiler;
    compiler.setInvocation(invocation);
    compiler.createDiagnostics(new Messages(request));
    auto *target = new Tile(llvm::Triple(invocation->getTargetOpts().Triple));
    targetOptions(*target) = invocation->TargetOpts;
    compiler.setTarget(target);
    target->adjust(compiler.getDiagnostics(), compiler.getLangOpts());
    auto seen = std::make_shared<Headers>();
    compiler.addDependencyCollector(seen);

    llvm::MemoryBufferRef text(llvm::StringRef(request->text, request->length), request->path);
    InputKind kind(request->language == TW__CC_C ? Language::C : Language::CXX);
    Action action(*llvm::unwrap(context));
    bool ok = action.BeginSourceFile(compiler, FrontendInputFile(text, kind));
    if (ok) {
        if (llvm::Error error = action.Execute()) {
            llvm::consumeError(std::move(error));
            ok = false;
        }
        action.EndSourceFile();
    }
    GPtrArray *names = g_ptr_array_new();
    for (const std::string &file : seen->getDependencies())
        if (file != request->path) g_ptr_array_add(names, g_strdup(file.c_str()));
    g_ptr_array_add(names, nullptr);
    *headers = reinterpret_cast<char **>(g_ptr_array_free(names, FALSE));
    return ok ? llvm::wrap(action.module) : nullptr;
}

/* --- crashes ---------------------------------------------------------------------------------------------------- */

bool tw__cc_safely(void (*work)(void *user), void *user)
{
    static std::mutex lock;
    static unsigned running;
    {
        std::lock_guard<std::mutex> hold(lock);
        if (running++ == 0) llvm::CrashRecoveryContext::Enable();
    }
    llvm::CrashRecoveryContext recovery;
    bool ok = recovery.RunSafelyOnThread([&] { work(user); }, 64u << 20);
    std::lock_guard<std::mutex> hold(lock);
    if (--running == 0) llvm::CrashRecoveryContext::Disable();
    return ok;
}
