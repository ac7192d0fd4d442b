// SPDX-License-Identifier: MIT
// Tilewright in VS Code: the language server's answers, the formatters, tasks, commands, the debugger.
'use strict'
const vscode = require('vscode')
const { spawn } = require('child_process')
const { Client } = require('./client')

const LANGUAGES = ['csl', 'pto', 'ipu']
const SELECTOR = LANGUAGES.map((language) => ({ language }))
let client, diagnostics, output
let providers = []

const setting = (name) => vscode.workspace.getConfiguration('tilewright').get(name)
const program = () => setting('path') || 'tilewright'

// --- from the protocol to the editor's objects -------------------------------------------------------------------
const position = (p) => new vscode.Position(p.line, p.character)
const range = (r) => new vscode.Range(position(r.start), position(r.end))
const place = (l) => new vscode.Location(vscode.Uri.parse(l.uri || l.targetUri), range(l.range || l.targetSelectionRange))
const places = (list) => (list ? [].concat(list).map(place) : [])
const markdown = (c) => (typeof c === 'string' ? c : c.value)
const edits = (list) => (list || []).map((e) => vscode.TextEdit.replace(range(e.range), e.newText))
const at = (document, p) => ({ textDocument: { uri: document.uri.toString() }, position: { line: p.line, character: p.character } })

function symbol(s) {
  const made = new vscode.DocumentSymbol(s.name, s.detail || '', s.kind - 1, range(s.range), range(s.selectionRange))
  made.children = (s.children || []).map(symbol)
  return made
}

function diagnostic(d) {
  const made = new vscode.Diagnostic(range(d.range), d.message, (d.severity || 1) - 1)
  made.code = d.code
  made.source = d.source || 'tilewright'
  made.relatedInformation = (d.relatedInformation || []).map((r) => new vscode.DiagnosticRelatedInformation(place(r.location), r.message))
  return made
}

function completion(c) {
  const made = new vscode.CompletionItem(c.label, c.kind ? c.kind - 1 : undefined)
  made.detail = c.detail
  if (c.documentation) made.documentation = new vscode.MarkdownString(markdown(c.documentation))
  const text = (c.textEdit && c.textEdit.newText) || c.insertText
  if (text) made.insertText = c.insertTextFormat === 2 ? new vscode.SnippetString(text) : text
  if (c.textEdit) made.range = range(c.textEdit.range || c.textEdit.replace)
  made.filterText = c.filterText
  made.sortText = c.sortText
  return made
}

function signatures(h) {
  if (!h) return null
  const made = new vscode.SignatureHelp()
  made.signatures = h.signatures.map((s) => {
    const one = new vscode.SignatureInformation(s.label, s.documentation && new vscode.MarkdownString(markdown(s.documentation)))
    one.parameters = (s.parameters || []).map((p) => new vscode.ParameterInformation(p.label, p.documentation && markdown(p.documentation)))
    return one
  })
  made.activeSignature = h.activeSignature || 0
  made.activeParameter = h.activeParameter || 0
  return made
}

function workspaceEdit(e) {
  const made = new vscode.WorkspaceEdit()
  for (const [uri, list] of Object.entries((e && e.changes) || {})) made.set(vscode.Uri.parse(uri), edits(list))
  for (const change of (e && e.documentChanges) || []) made.set(vscode.Uri.parse(change.textDocument.uri), edits(change.edits))
  return made
}

// --- what the server can: its capability, and who registers what asks for it ---------------------------------------
const ask = (method, params, token) => client.ask('textDocument/' + method, params, token)
const PROVIDERS = {
  hoverProvider: () => vscode.languages.registerHoverProvider(SELECTOR, {
    provideHover: async (d, p, t) => {
      const h = await ask('hover', at(d, p), t)
      return h && new vscode.Hover([].concat(h.contents).map((c) => new vscode.MarkdownString(markdown(c))), h.range && range(h.range))
    } }),
  definitionProvider: () => vscode.languages.registerDefinitionProvider(SELECTOR, {
    provideDefinition: async (d, p, t) => places(await ask('definition', at(d, p), t)) }),
  referencesProvider: () => vscode.languages.registerReferenceProvider(SELECTOR, {
    provideReferences: async (d, p, context, t) => places(await ask('references', { ...at(d, p), context }, t)) }),
  documentSymbolProvider: () => vscode.languages.registerDocumentSymbolProvider(SELECTOR, {
    provideDocumentSymbols: async (d, t) => ((await ask('documentSymbol', { textDocument: { uri: d.uri.toString() } }, t)) || []).map(symbol) }),
  renameProvider: () => vscode.languages.registerRenameProvider(SELECTOR, {
    provideRenameEdits: async (d, p, newName, t) => workspaceEdit(await ask('rename', { ...at(d, p), newName }, t)) }),
  completionProvider: (c) => vscode.languages.registerCompletionItemProvider(SELECTOR, {
    provideCompletionItems: async (d, p, t) => {
      const list = await ask('completion', at(d, p), t)
      return ((list && list.items) || list || []).map(completion)
    } }, ...(c.triggerCharacters || [])),
  signatureHelpProvider: (c) => vscode.languages.registerSignatureHelpProvider(SELECTOR, {
    provideSignatureHelp: async (d, p, t) => signatures(await ask('signatureHelp', at(d, p), t)) }, ...(c.triggerCharacters || [])),
  inlayHintProvider: () => vscode.languages.registerInlayHintsProvider(SELECTOR, {
    provideInlayHints: async (d, r, t) => ((await ask('inlayHint', { textDocument: { uri: d.uri.toString() }, range: r }, t)) || [])
      .map((h) => new vscode.InlayHint(position(h.position), typeof h.label === 'string' ? h.label : h.label.map((l) => l.value).join(''), h.kind)) }),
}

// --- the server's life -----------------------------------------------------------------------------------------------
const ours = (document) => LANGUAGES.includes(document.languageId)
const identity = (d) => ({ uri: d.uri.toString(), version: d.version })

function opened(d) {
  if (client && ours(d)) client.notify('textDocument/didOpen', { textDocument: { ...identity(d), languageId: d.languageId, text: d.getText() } })
}

function changed(event) {
  const d = event.document
  if (!client || !ours(d) || !event.contentChanges.length) return
  const contentChanges = client.incremental ? event.contentChanges.map(({ range, text }) => ({ range, text })) : [{ text: d.getText() }]
  client.notify('textDocument/didChange', { textDocument: identity(d), contentChanges })
}

function closed(d) {
  if (!client || !ours(d)) return
  client.notify('textDocument/didClose', { textDocument: { uri: d.uri.toString() } })
  diagnostics.delete(d.uri)
}

function heard(method, params) {
  if (method === 'textDocument/publishDiagnostics') diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnostic))
  if (method === 'window/logMessage' || method === 'window/showMessage') output.appendLine(params.message)
}

const options = () => ({ csl: { options: setting('csl.options') || [] } })

async function start() {
  if (!setting('server')) return
  const mine = new Client(program(), ['lsp'], heard, (reason) => {
    if (client === mine) client = undefined
    output.appendLine(`tilewright lsp: ${reason}`)
  })
  const folders = (vscode.workspace.workspaceFolders || []).map((f) => ({ uri: f.uri.toString(), name: f.name }))
  try {
    const { capabilities } = await mine.ask('initialize', {
      processId: process.pid, initializationOptions: options(), rootUri: folders.length ? folders[0].uri : null, workspaceFolders: folders,
      capabilities: { textDocument: {
        synchronization: { didSave: true }, publishDiagnostics: { relatedInformation: true }, inlayHint: {}, rename: {},
        hover: { contentFormat: ['markdown', 'plaintext'] }, documentSymbol: { hierarchicalDocumentSymbolSupport: true },
        completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown', 'plaintext'] } } } } })
    client = mine
    const sync = capabilities.textDocumentSync
    client.incremental = (typeof sync === 'object' ? sync.change : sync) === 2
    client.notify('initialized', {})
    for (const [name, register] of Object.entries(PROVIDERS))
      if (capabilities[name]) providers.push(register(capabilities[name] === true ? {} : capabilities[name]))
    vscode.workspace.textDocuments.forEach(opened)
  } catch (e) {
    output.appendLine(`There is no language server: ${e.message}`)
  }
}

async function stop() {
  const old = client
  client = undefined
  for (const p of providers.splice(0)) p.dispose()
  if (old) await old.stop()
}

// --- formatters, tasks and commands: they need no server ---------------------------------------------------------------
function pipe(args, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(program(), args)
    let text = '', errors = ''
    child.on('error', reject)
    child.stdin.on('error', () => {})
    child.stdout.setEncoding('utf8').on('data', (s) => { text += s })
    child.stderr.setEncoding('utf8').on('data', (s) => { errors += s })
    child.on('close', (code) => (code === 0 ? resolve(text) : reject(new Error(errors.split('\n')[0]))))
    child.stdin.end(input)
  })
}

async function format(document) {
  const text = document.getText()
  try {
    const laid = await pipe([document.languageId, 'fmt', '-'], text)
    if (laid === text) return []
    return [vscode.TextEdit.replace(new vscode.Range(document.positionAt(0), document.positionAt(text.length)), laid)]
  } catch (e) {
    output.appendLine(`format: ${e.message}`) // a source with errors stays as it is
    return []
  }
}

// What runs: the layout that places a file, with the options of its script; the server knows both.
async function programOf(document) {
  const options = setting(document.languageId + '.options') || [], alone = { file: document.uri.fsPath, options }
  if (!client || document.languageId !== 'csl') return alone
  try {
    const known = await client.ask('tilewright/program', { textDocument: { uri: document.uri.toString() } })
    return { file: vscode.Uri.parse(known.uri).fsPath, options: known.options }
  } catch { return alone }
}

async function argumentsOf(document, verb) {
  const language = document.languageId, { file, options } = await programOf(document)
  if (language !== 'ipu') return [language, verb, file, ...options]
  return verb === 'check' ? ['asm', '--list', file] : ['sim', file, ...options]
}

function task(definition, name) {
  const shell = new vscode.ProcessExecution(program(), definition.arguments)
  return new vscode.Task(definition, vscode.TaskScope.Workspace, name, 'tilewright', shell, ['$tilewright'])
}

async function activeTasks() {
  const editor = vscode.window.activeTextEditor
  if (!editor || !ours(editor.document)) return []
  return Promise.all(['check', 'run'].map(async (verb) =>
    task({ type: 'tilewright', arguments: await argumentsOf(editor.document, verb) }, `${verb} this file`)))
}

async function onActive(action) {
  const editor = vscode.window.activeTextEditor
  if (!editor || !ours(editor.document)) return vscode.window.showErrorMessage('Tilewright: open a file of CSL, PTO-AS or IPU assembly')
  await editor.document.save()
  return action(editor.document)
}

// --- the debugger: an adapter on standard streams per type, and what it is told without a launch.json ----------------
const ADAPTERS = { 'tilewright-csl': ['csl', 'debug', '--dap'], 'tilewright-sim': ['sim', '--dap'], 'tilewright-run': ['run', '--dap'] }
const TYPES = { csl: 'tilewright-csl', ipu: 'tilewright-sim' }

async function configuration(document) {
  const language = document.languageId, { file, options } = await programOf(document)
  return { type: TYPES[language], request: 'launch', name: 'Debug this file', program: file, args: options, stopOnEntry: language === 'ipu' }
}

function resolve(type) {
  return (folder, config) => {
    if (config.type || config.request) return config
    const editor = vscode.window.activeTextEditor
    return editor && TYPES[editor.document.languageId] === type ? configuration(editor.document) : undefined
  }
}

// The adapter of a graph program runs in that program: its words name it, and its folder is the program's.
function adapter(type, args, config = {}) {
  if (type !== 'tilewright-run') return new vscode.DebugAdapterExecutable(program(), args)
  const words = [...args, ...(config.device ? ['--device', config.device] : []), ...(config.options || []), config.program, ...(config.args || [])]
  return new vscode.DebugAdapterExecutable(program(), words, ...(config.cwd ? [{ cwd: config.cwd }] : []))
}

const debuggers = () => Object.entries(ADAPTERS).flatMap(([type, args]) => [
  vscode.debug.registerDebugAdapterDescriptorFactory(type,
    { createDebugAdapterDescriptor: (session) => adapter(type, args, session?.configuration) }),
  vscode.debug.registerDebugConfigurationProvider(type, { resolveDebugConfiguration: resolve(type) })])

async function debug(document) {
  if (!TYPES[document.languageId]) return vscode.window.showErrorMessage('Tilewright: CSL and IPU assembly can be debugged')
  return vscode.debug.startDebugging(undefined, await configuration(document))
}

const runTask = (verb) => () => onActive(async (d) => vscode.tasks.executeTask(task({ type: 'tilewright', arguments: await argumentsOf(d, verb) }, verb)))

async function activate(context) {
  diagnostics = vscode.languages.createDiagnosticCollection('tilewright')
  output = vscode.window.createOutputChannel('Tilewright')
  context.subscriptions.push(diagnostics, output, ...debuggers(),
    vscode.workspace.onDidOpenTextDocument(opened), vscode.workspace.onDidChangeTextDocument(changed),
    vscode.workspace.onDidCloseTextDocument(closed),
    vscode.workspace.onDidChangeConfiguration((e) => client && e.affectsConfiguration('tilewright') && client.notify('workspace/didChangeConfiguration', { settings: { tilewright: options() } })),
    vscode.languages.registerDocumentFormattingEditProvider(SELECTOR.slice(0, 2), { provideDocumentFormattingEdits: format }),
    vscode.tasks.registerTaskProvider('tilewright', { provideTasks: activeTasks, resolveTask: (t) => task(t.definition, t.name) }),
    vscode.commands.registerCommand('tilewright.check', runTask('check')),
    vscode.commands.registerCommand('tilewright.run', runTask('run')),
    vscode.commands.registerCommand('tilewright.debug', () => onActive(debug)),
    vscode.commands.registerCommand('tilewright.restart', async () => { await stop(); await start() }))
  await start()
}

module.exports = { activate, deactivate: stop }
