// SPDX-License-Identifier: MIT
/* cc/sel: entries for debuggers from LLVM's metadata, of which its C interface tells too little. */
#include "poplar/colossus/cc/debug.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Module.h>

using namespace llvm;

struct tw__cc_debug {
    tw__mir *mir;
    tw__mir_die *unit;
    tw__mir_function_debug *out;
    DenseMap<const Metadata *, tw__mir_die *> dies;
    DenseMap<std::pair<const void *, const void *>, tw__mir_scope *> scopes;
    DenseMap<std::pair<const void *, const void *>, tw__mir_variable *> variables;

    template <class T> T *make() { return static_cast<T *>(tw__mir_room(mir, sizeof(T))); }
    const char *text(StringRef words)
    {
        if (words.empty()) return nullptr;
        char *copy = static_cast<char *>(tw__mir_room(mir, words.size() + 1));
        return std::copy(words.begin(), words.end(), copy), copy;
    }
    uint32_t source(const DIFile *file)
    {
        if (!file) return 0;
        StringRef name = file->getFilename(), folder = file->getDirectory();
        std::string path = name.starts_with("/") || folder.empty() ? name.str() : (folder + "/" + name).str();
        return tw__mir_source(mir, path.c_str());
    }
    tw__mir_die *add(tw__mir_die *parent, unsigned tag)
    {
        auto *die = make<tw__mir_die>();
        die->tag = static_cast<uint16_t>(tag);
        die->parent = parent;
        (parent->last ? parent->last->next : parent->first) = die;
        return parent->last = die;
    }
    tw__mir_die *parentOf(const DIScope *scope);
    tw__mir_die *typeOf(const DIType *type);
    void members(tw__mir_die *die, const DICompositeType *type);
    void parameters(tw__mir_die *die, const DISubroutineType *type);
    tw__mir_die *functionOf(const DISubprogram *function);
    tw__mir_variable *variableOf(const DILocalVariable *variable, const DILocation *at);
    tw__mir_scope *scopeOf(const DILocation *at);
    void globals(const Module &module);
};

/* --- types ------------------------------------------------------------------------------------------------------ */

/* Namespaces and records hold what is declared in them; blocks do not. */
tw__mir_die *tw__cc_debug::parentOf(const DIScope *scope)
{
    if (const auto *type = dyn_cast_or_null<DIType>(scope)) return typeOf(type);
    const auto *space = dyn_cast_or_null<DINamespace>(scope);
    if (!space) return unit;
    auto known = dies.find(space);
    if (known != dies.end()) return known->second;
    tw__mir_die *die = add(parentOf(space->getScope()), dwarf::DW_TAG_namespace);
    die->name = text(space->getName());
    return dies[space] = die;
}

void tw__cc_debug::parameters(tw__mir_die *die, const DISubroutineType *type)
{
    DITypeRefArray list = type ? type->getTypeArray() : DITypeRefArray(nullptr);
    die->is_prototyped = true;
    die->type = list.size() ? typeOf(list[0]) : nullptr;
    for (unsigned i = 1; i < list.size(); i++) {
        unsigned tag = list[i] ? dwarf::DW_TAG_formal_parameter : dwarf::DW_TAG_unspecified_parameters;
        tw__mir_die *parameter = add(die, tag);
        parameter->type = list[i] ? typeOf(list[i]) : nullptr;
        parameter->is_artificial = list[i] && list[i]->isArtificial();
    }
}

void tw__cc_debug::members(tw__mir_die *die, const DICompositeType *type)
{
    for (const DINode *node : type->getElements()) {
        if (const auto *range = dyn_cast_or_null<DISubrange>(node)) {
            tw__mir_die *child = add(die, dwarf::DW_TAG_subrange_type);
            auto count = range->getCount();
            if (auto *number = dyn_cast_if_present<ConstantInt *>(count)) {
                child->has_value = number->getSExtValue() >= 0;
                child->value = number->getSExtValue();
            }
        } else if (const auto *enumerator = dyn_cast_or_null<DIEnumerator>(node)) {
            tw__mir_die *child = add(die, dwarf::DW_TAG_enumerator);
            child->name = text(enumerator->getName());
            child->value = enumerator->getValue().getSExtValue();
        } else if (const auto *member = dyn_cast_or_null<DIDerivedType>(node)) {
            bool inherits = member->getTag() == dwarf::DW_TAG_inheritance;
            if ((member->getTag() != dwarf::DW_TAG_member && !inherits) || member->isStaticMember()) continue;
            tw__mir_die *child = add(die, member->getTag());
            child->name = text(member->getName());
            child->file = source(member->getFile());
            child->line = member->getLine();
            child->type = typeOf(member->getBaseType());
            child->is_artificial = member->isArtificial();
            child->offset = member->getOffsetInBits() / 8;
            if (member->isBitField()) {
                child->bits = static_cast<uint32_t>(member->getSizeInBits());
                child->bits_at = static_cast<uint32_t>(member->getOffsetInBits());
            }
        }
    }
}

tw__mir_die *tw__cc_debug::typeOf(const DIType *type)
{
    if (!type) return nullptr;
    auto known = dies.find(type);
    if (known != dies.end()) return known->second;
    tw__mir_die *parent =
        isa<DICompositeType>(type) || type->getTag() == dwarf::DW_TAG_typedef ? parentOf(type->getScope()) : unit;
    known = dies.find(type); /* its parent may hold it */
    if (known != dies.end()) return known->second;
    tw__mir_die *die = dies[type] = add(parent, type->getTag());
    die->name = text(type->getName());
    die->size = type->getSizeInBits() / 8;
    if (const auto *basic = dyn_cast<DIBasicType>(type)) {
        die->encoding = static_cast<uint8_t>(basic->getEncoding());
    } else if (const auto *derived = dyn_cast<DIDerivedType>(type)) {
        die->type = typeOf(derived->getBaseType());
        if (type->getTag() == dwarf::DW_TAG_typedef)
            die->file = source(type->getFile()), die->line = type->getLine();
    } else if (const auto *composite = dyn_cast<DICompositeType>(type)) {
        die->type = typeOf(composite->getBaseType());
        die->is_declaration = composite->isForwardDecl();
        die->is_vector = composite->isVector();
        die->is_enum_class = composite->getFlags() & DINode::FlagEnumClass;
        if (type->getTag() != dwarf::DW_TAG_array_type)
            die->file = source(type->getFile()), die->line = type->getLine();
        members(die, composite);
    } else if (const auto *routine = dyn_cast<DISubroutineType>(type)) {
        parameters(die, routine);
    }
    return die;
}

/* --- functions and variables ------------------------------------------------------------------------------------ */

tw__mir_die *tw__cc_debug::functionOf(const DISubprogram *function)
{
    auto known = dies.find(function);
    if (known != dies.end()) return known->second;
    const auto *record = dyn_cast_or_null<DIType>(function->getScope());
    tw__mir_die *die = dies[function] =
        add(record ? unit : parentOf(function->getScope()), dwarf::DW_TAG_subprogram);
    die->name = text(function->getName());
    die->linkage = text(function->getLinkageName());
    die->file = source(function->getFile());
    die->line = function->getLine();
    die->is_external = !function->isLocalToUnit();
    die->is_artificial = function->isArtificial();
    die->is_prototyped = true;
    DITypeRefArray list = function->getType() ? function->getType()->getTypeArray() : DITypeRefArray(nullptr);
    die->type = list.size() ? typeOf(list[0]) : nullptr;
    const DISubprogram *other = function->getDeclaration();
    if (!record || !other) return die;
    auto listed = dies.find(other);
    if (listed != dies.end()) {
        die->declaration = listed->second;
        return die;
    }
    tw__mir_die *declared = dies[other] = add(typeOf(record), dwarf::DW_TAG_subprogram);
    declared->name = die->name;
    declared->linkage = die->linkage;
    declared->file = source(other->getFile());
    declared->line = other->getLine();
    declared->is_declaration = true;
    declared->is_external = die->is_external;
    parameters(declared, other->getType());
    die->declaration = declared;
    return die;
}

tw__mir_scope *tw__cc_debug::scopeOf(const DILocation *at)
{
    const DILocation *call = at->getInlinedAt();
    if (!call) return nullptr;
    const DISubprogram *function = at->getScope()->getSubprogram();
    tw__mir_scope *&scope = scopes[{ call, function }];
    if (scope) return scope;
    tw__mir_scope *made = make<tw__mir_scope>();
    made->function = functionOf(function);
    made->function->is_inlined = true;
    made->file = source(call->getFile());
    made->line = call->getLine();
    made->column = call->getColumn();
    scope = made;
    made->next = out->scopes;
    out->scopes = made;
    tw__mir_scope *up = scopeOf(call); /* may move what `scope` names */
    made->up = up;
    return made;
}

tw__mir_variable *tw__cc_debug::variableOf(const DILocalVariable *variable, const DILocation *at)
{
    tw__mir_variable *&known = variables[{ variable, at->getInlinedAt() }];
    if (known) return known;
    tw__mir_variable *made = known = make<tw__mir_variable>();
    tw__mir_die *&die = dies[variable];
    bool is_new = !die;
    tw__mir_die *entry = die = is_new ? make<tw__mir_die>() : die;
    made->die = entry;
    made->next = out->variables;
    out->variables = made;
    if (is_new) {
        tw__mir_die *function = functionOf(variable->getScope()->getSubprogram());
        entry->tag = variable->getArg() ? dwarf::DW_TAG_formal_parameter : dwarf::DW_TAG_variable;
        entry->value = variable->getArg();
        entry->parent = function;
        tw__mir_die **place = &function->first; /* parameters first, in their order */
        while (*place && entry->value && (*place)->value && (*place)->value < entry->value) place = &(*place)->next;
        if (!entry->value)
            while (*place) place = &(*place)->next;
        entry->next = *place;
        *place = entry;
        entry->name = text(variable->getName());
        entry->file = source(variable->getFile());
        entry->line = variable->getLine();
        entry->is_artificial = variable->isArtificial();
        entry->type = typeOf(variable->getType());
    }
    made->scope = scopeOf(at);
    return made;
}

void tw__cc_debug::globals(const Module &module)
{
    for (const GlobalVariable &global : module.globals()) {
        SmallVector<DIGlobalVariableExpression *, 2> list;
        global.getDebugInfo(list);
        if (list.empty() || global.isDeclaration() || !global.hasName()) continue;
        const DIGlobalVariable *variable = list[0]->getVariable();
        const DIScope *scope = variable->getScope();
        tw__mir_die *die = add(isa_and_nonnull<DIType>(scope) ? unit : parentOf(scope), dwarf::DW_TAG_variable);
        die->name = text(variable->getName());
        die->linkage = text(variable->getLinkageName());
        die->file = source(variable->getFile());
        die->line = variable->getLine();
        die->is_external = !variable->isLocalToUnit();
        die->type = typeOf(variable->getType());
        die->symbol = text(global.getName());
    }
}

/* --- what C calls ----------------------------------------------------------------------------------------------- */

tw__cc_debug *tw__cc_debug_new(void *module, tw__mir *mir)
{
    auto *unwrapped = static_cast<Module *>(module);
    const DICompileUnit *unit = nullptr;
    for (const DICompileUnit *u : unwrapped->debug_compile_units())
        if (u->getEmissionKind() == DICompileUnit::FullDebug) unit = u;
    if (!unit) return nullptr;
    unwrapped->setIsNewDbgInfoFormat(true);
    auto *debug = new tw__cc_debug();
    debug->mir = mir;
    tw__mir_die *die = debug->unit = debug->make<tw__mir_die>();
    die->tag = dwarf::DW_TAG_compile_unit;
    die->encoding = static_cast<uint8_t>(unit->getSourceLanguage());
    die->name = debug->text(unit->getFilename());
    die->linkage = debug->text(unit->getDirectory());
    debug->globals(*unwrapped);
    return debug;
}

void tw__cc_debug_free(tw__cc_debug *debug)
{
    delete debug;
}

tw__mir_die *tw__cc_debug_unit(tw__cc_debug *debug)
{
    return debug->unit;
}

void tw__cc_debug_function(tw__cc_debug *debug, tw__cc_value *function, tw__mir_function_debug *out)
{
    debug->out = out;
    debug->scopes.clear();
    debug->variables.clear();
    const DISubprogram *described = cast<Function>(unwrap(function))->getSubprogram();
    out->die = described ? debug->functionOf(described) : nullptr;
}

tw__mir_scope *tw__cc_debug_scope(tw__cc_debug *debug, tw__cc_value *instruction)
{
    const auto *code = dyn_cast<Instruction>(unwrap(instruction));
    const DILocation *at = code && debug->out->die ? code->getDebugLoc().get() : nullptr;
    return at ? debug->scopeOf(at) : nullptr;
}

/* The operations of an expression as DWARF has them; false: it cannot be said. */
static bool encode(const DIExpression *expression, bool is_address, tw__cc_record *record,
                   SmallVector<uint8_t> &bytes)
{
    if (auto part = expression->getFragmentInfo()) {
        if (part->OffsetInBits % 8 || part->SizeInBits % 8) return false;
        record->at = static_cast<uint32_t>(part->OffsetInBits / 8);
        record->bytes = static_cast<uint32_t>(part->SizeInBits / 8);
    }
    size_t last = 0; /* where the last operation begins */
    bool is_last_load = false;
    for (const auto &op : expression->expr_ops()) {
        uint64_t code = op.getOp();
        if (code == dwarf::DW_OP_LLVM_fragment) continue;
        if (code == dwarf::DW_OP_LLVM_arg && op.getArg(0) == 0) continue;
        if (code > 0xff) return false;
        if (code == dwarf::DW_OP_stack_value) {
            record->is_value = true;
            continue;
        }
        last = bytes.size();
        is_last_load = code == dwarf::DW_OP_deref;
        bytes.push_back(static_cast<uint8_t>(code));
        for (unsigned i = 0; i < op.getNumArgs(); i++) {
            if (code != dwarf::DW_OP_constu && code != dwarf::DW_OP_plus_uconst) return false;
            uint64_t rest = op.getArg(i);
            do {
                bytes.push_back(static_cast<uint8_t>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)));
                rest >>= 7;
            } while (rest);
        }
    }
    record->is_memory = is_address && !record->is_value;
    if (!is_address && !record->is_value && !bytes.empty()) { /* the address of it, loaded */
        if (!is_last_load) return false;
        bytes.resize(last);
        record->is_memory = true;
    }
    return true;
}

void tw__cc_debug_records(tw__cc_debug *debug, tw__cc_value *instruction, tw__cc_take *take, void *user)
{
    auto *code = dyn_cast<Instruction>(unwrap(instruction));
    if (!code || !debug->out->die) return;
    for (DbgVariableRecord &at : filterDbgVars(code->getDbgRecordRange())) {
        const DILocation *place = at.getDebugLoc().get();
        if (!place) continue;
        tw__cc_record record = {};
        SmallVector<uint8_t> bytes;
        record.variable = debug->variableOf(at.getVariable(), place);
        bool fits = encode(at.getExpression(), at.isAddressOfVariable(), &record, bytes);
        if (fits && at.getNumVariableLocationOps() == 1 && !at.isKillLocation())
            record.value = wrap(at.getVariableLocationOp(0));
        record.more = bytes.data();
        record.more_count = static_cast<uint32_t>(bytes.size());
        take(user, &record);
    }
}
