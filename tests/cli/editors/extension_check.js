// SPDX-License-Identifier: MIT
// The extension in a stub of the editor, with a server of the test's own: what it registers, sends and shows.
//   node extension_check.js EXTENSION PROGRAM
'use strict'
const assert = require('assert')
const Module = require('module')
const [folder, program] = process.argv.slice(2)

const registered = {}, shown = new Map(), events = {}
class Position { constructor(line, character) { Object.assign(this, { line, character }) } }
class Range { constructor(start, end) { Object.assign(this, { start, end }) } }
class Plain { constructor(...values) { this.values = values } }
const register = (name) => (...values) => { registered[name] = values; return { dispose() {} } }
const listen = (name) => (f) => { events[name] = f; return { dispose() {} } }
const settings = { path: program, server: true, 'csl.options': ['--arch=wse3'], 'pto.options': [], 'ipu.options': [] }
const vscode = {
  Position, Range, Hover: Plain, MarkdownString: Plain, Location: Plain, ProcessExecution: Plain, TaskScope: {},
  Diagnostic: class { constructor(range, message, severity) { Object.assign(this, { range, message, severity }) } },
  TextEdit: { replace: (range, newText) => ({ range, newText }) },
  Task: class { constructor(definition, scope, name, source, execution) { Object.assign(this, { definition, name, execution }) } },
  Uri: { parse: (text) => ({ toString: () => text, fsPath: text.replace('file://', '') }) },
  workspace: { getConfiguration: () => ({ get: (name) => settings[name] }), workspaceFolders: [], textDocuments: [],
    onDidOpenTextDocument: listen('open'), onDidChangeTextDocument: listen('change'), onDidCloseTextDocument: listen('close'), onDidChangeConfiguration: listen('configure') },
  languages: new Proxy({ createDiagnosticCollection: () => ({ set: (uri, list) => { shown.set(uri.toString(), list) }, delete: (uri) => { shown.delete(uri.toString()) }, dispose() {} }) },
    { get: (own, name) => own[name] || register(name) }),
  window: { activeTextEditor: undefined, createOutputChannel: () => ({ appendLine: (text) => lines.push(text), dispose() {} }) },
  DebugAdapterExecutable: Plain,
  debug: { registerDebugAdapterDescriptorFactory: (type, f) => { registered['adapter ' + type] = f; return { dispose() {} } },
    registerDebugConfigurationProvider: (type, p) => { registered['configuration ' + type] = p; return { dispose() {} } },
    startDebugging: (folder, config) => { started.push(config) } },
  tasks: { registerTaskProvider: register('tasks') },
  commands: { registerCommand: (name, f) => { registered[name] = f; return { dispose() {} } } },
}
const lines = [], started = []
const load = Module._load
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest))

const document = (text) => ({ languageId: 'csl', version: 1, getText: () => text, positionAt: (offset) => new Position(0, offset),
  uri: { toString: () => 'file:///t.csl', fsPath: '/t.csl' } })
const until = async (good, what) => {
  for (let i = 0; i < 500 && !good(); i++) await new Promise((done) => setTimeout(done, 10))
  assert(good(), what)
}

async function main() {
  const { activate, deactivate } = require(folder + '/extension.js')
  await activate({ subscriptions: [] })
  assert.deepStrictEqual(lines, [], 'the server does not start')
  assert(registered.registerHoverProvider && !registered.registerRenameProvider, 'what the server can is what is registered')
  events.open(document('a bad b'))
  await until(() => (shown.get('file:///t.csl') || []).length === 1, 'no diagnostic came')
  const [d] = shown.get('file:///t.csl')
  assert.strictEqual(d.message, 'é bad')
  assert.deepStrictEqual([d.range.start.character, d.range.end.character, d.severity], [2, 5, 0])
  events.change({ document: document('good'), contentChanges: [{}] })
  await until(() => shown.get('file:///t.csl').length === 0, 'the diagnostic stayed')
  const hover = await registered.registerHoverProvider[1].provideHover(document(''), new Position(0, 7))
  assert.strictEqual(hover.values[0][0].values[0], 'at 7')

  const formatter = registered.registerDocumentFormattingEditProvider[1]
  assert.deepStrictEqual((await formatter.provideDocumentFormattingEdits(document('fn f()void{a();}')))[0].newText, 'fn f() void {\n  a();\n}\n')
  assert.deepStrictEqual(await formatter.provideDocumentFormattingEdits(document('fn f() void {}\n')), [])
  assert.deepStrictEqual(await formatter.provideDocumentFormattingEdits(document('fn f(')), [])
  assert(/error/.test(lines.pop()), 'the message of a source with errors')

  vscode.window.activeTextEditor = { document: document('') }
  const [check, run] = await registered.tasks[1].provideTasks()
  assert.deepStrictEqual(check.execution.values, [program, ['csl', 'check', '/layout.csl', '--arch=wse3', '--params=n:4']])
  assert.deepStrictEqual(run.definition.arguments, ['csl', 'run', '/layout.csl', '--arch=wse3', '--params=n:4'])
  settings['csl.options'] = ['--arch=wse2']
  events.configure({ affectsConfiguration: (section) => section !== 'tilewright' }) // of another extension
  assert.deepStrictEqual((await registered.tasks[1].provideTasks())[0].definition.arguments.slice(3), ['--arch=wse3', '--params=n:4'])
  const ours = { affectsConfiguration: (section) => section === 'tilewright' }
  events.configure(ours)
  assert.deepStrictEqual((await registered.tasks[1].provideTasks())[0].definition.arguments.slice(3), ['--arch=wse2', '--params=n:4'])
  settings['csl.options'] = ['--arch=wse3']
  events.configure(ours)
  const types = require(folder + '/package.json').contributes.debuggers.map((d) => d.type)
  const adapters = types.map((type) => registered['adapter ' + type].createDebugAdapterDescriptor(
    { configuration: { program: 'a.c', device: 'ipu-sim', args: ['3'] } }).values)
  assert.deepStrictEqual(adapters, [[program, ['csl', 'debug', '--dap']], [program, ['sim', '--dap']], [program, ['run', '--dap', '--device', 'ipu-sim', 'a.c', '3']]])
  const { resolveDebugConfiguration } = registered['configuration tilewright-csl']
  assert.deepStrictEqual(await resolveDebugConfiguration(undefined, {}), { type: 'tilewright-csl', request: 'launch',
    name: 'Debug this file', program: '/layout.csl', args: ['--arch=wse3', '--params=n:4'], stopOnEntry: false })
  assert.strictEqual(resolveDebugConfiguration(undefined, { type: 'tilewright-csl', program: 'x' }).program, 'x')
  assert.strictEqual(registered['configuration tilewright-sim'].resolveDebugConfiguration(undefined, {}), undefined)
  const wanted = require(folder + '/package.json').contributes.commands.map((c) => c.command)
  for (const name of wanted) assert(registered[name], `${name} is not registered`)

  vscode.window.activeTextEditor = { document: { ...document(''), save: async () => {} } }
  await registered['tilewright.debug']()
  assert.deepStrictEqual(started.map((c) => [c.type, c.program]), [['tilewright-csl', '/layout.csl']])

  await deactivate()
  assert.deepStrictEqual((await registered.tasks[1].provideTasks())[0].execution.values[1], ['csl', 'check', '/t.csl', '--arch=wse3'],
    'without a server')
  settings.path = '/nowhere/tilewright'
  await registered['tilewright.restart']()
  assert(lines.some((l) => /There is no language server/.test(l)), 'a missing program is told')
}
main().then(() => process.exit(0), (e) => { console.error(e); process.exit(1) })
