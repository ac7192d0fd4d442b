// SPDX-License-Identifier: MIT
// A language server for the test of the client: it tells of an error where "bad" stands, and what is under the cursor.
'use strict'
let rest = Buffer.alloc(0)
const texts = {}
let options // of the settings
function send(message) {
  const text = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const whole = Buffer.concat([Buffer.from(`Content-Length: ${text.length}\r\n\r\n`), text])
  for (const part of [whole.subarray(0, 20), whole.subarray(20)]) process.stdout.write(part) // a message may come in any
}
function tell(uri) {
  const column = texts[uri].indexOf('bad')
  const range = { start: { line: 0, character: column }, end: { line: 0, character: column + 3 } }
  send({ method: 'textDocument/publishDiagnostics', params: { uri, diagnostics: column < 0 ? [] : [{ range, severity: 1, message: 'é bad' }] } })
}
function take({ id, method, params }) {
  if (method === 'initialize') options = params.initializationOptions.csl.options
  if (method === 'workspace/didChangeConfiguration') options = params.settings.tilewright.csl.options
  if (method === 'tilewright/program') send({ id, result: { uri: 'file:///layout.csl', options: [...options, '--params=n:4'] } })
  if (method === 'initialize') send({ id, result: { capabilities: { textDocumentSync: 1, hoverProvider: true } } })
  if (method === 'textDocument/didOpen') { texts[params.textDocument.uri] = params.textDocument.text; tell(params.textDocument.uri) }
  if (method === 'textDocument/didChange') { texts[params.textDocument.uri] = params.contentChanges[0].text; tell(params.textDocument.uri) }
  if (method === 'textDocument/hover') send({ id, result: { contents: { kind: 'markdown', value: `at ${params.position.character}` } } })
  if (method === 'shutdown') send({ id, result: null })
  if (method === 'exit') process.exit(0)
}
process.stdin.on('data', (bytes) => {
  rest = Buffer.concat([rest, bytes])
  for (;;) {
    const head = rest.indexOf('\r\n\r\n')
    if (head < 0) return
    const end = head + 4 + Number(/: *([0-9]+)/.exec(rest.toString('latin1', 0, head))[1])
    if (rest.length < end) return
    take(JSON.parse(rest.toString('utf8', head + 4, end)))
    rest = rest.subarray(end)
  }
})
