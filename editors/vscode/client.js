// SPDX-License-Identifier: MIT
// A language server as a child process: messages of the Language Server Protocol over its standard streams. No package
// stands behind it, so that the extension is packed without npm and without network.
'use strict'
const { spawn } = require('child_process')

class Client {
  // onMessage(method, params) gets notifications, onEnd(text) the reason when the server is gone.
  constructor(program, args, onMessage, onEnd) {
    this.waiting = new Map()
    this.next = 1
    this.rest = Buffer.alloc(0)
    this.onMessage = onMessage
    this.ended = false
    let errors = ''
    const end = (text) => {
      if (this.ended) return
      this.ended = true
      for (const call of this.waiting.values()) call.reject(new Error(text))
      this.waiting.clear()
      onEnd(text)
    }
    this.child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.child.on('error', (e) => end(e.message))
    this.child.on('exit', (code) => end(errors.trim() || `${program} ended with status ${code}`))
    this.child.stderr.on('data', (bytes) => { errors = (errors + bytes).slice(-2000) })
    this.child.stdin.on('error', () => {})
    this.child.stdout.on('data', (bytes) => this.read(bytes))
  }

  read(bytes) {
    this.rest = Buffer.concat([this.rest, bytes])
    for (;;) {
      const head = this.rest.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = /content-length: *([0-9]+)/i.exec(this.rest.toString('latin1', 0, head))
      if (!length) { this.stop(); return }
      const end = head + 4 + Number(length[1])
      if (this.rest.length < end) return
      const message = JSON.parse(this.rest.toString('utf8', head + 4, end))
      this.rest = this.rest.subarray(end)
      this.take(message)
    }
  }

  take(message) {
    const call = message.method === undefined && this.waiting.get(message.id)
    if (call) {
      this.waiting.delete(message.id)
      if (message.error) call.reject(new Error(message.error.message))
      else call.resolve(message.result)
    } else if (message.method && message.id !== undefined) { // a question of the server: nothing is registered or configured
      const result = message.method === 'workspace/configuration' ? message.params.items.map(() => null) : null
      this.send({ id: message.id, result })
    } else if (message.method) {
      this.onMessage(message.method, message.params)
    }
  }

  send(message) {
    if (this.ended) return
    const text = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
    this.child.stdin.write(`Content-Length: ${text.length}\r\n\r\n`)
    this.child.stdin.write(text)
  }

  notify(method, params) { this.send({ method, params }) }

  // `token` is the editor's: what it no longer wants is cancelled.
  ask(method, params, token) {
    if (this.ended) return Promise.reject(new Error('the language server is gone'))
    const id = this.next++
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }))
    if (token) token.onCancellationRequested(() => this.waiting.has(id) && this.notify('$/cancelRequest', { id }))
    this.send({ id, method, params })
    return answer
  }

  async stop() {
    if (this.ended) return
    const kill = setTimeout(() => this.child.kill(), 2000)
    kill.unref()
    try { await this.ask('shutdown', null) } catch { /* it is gone */ }
    this.notify('exit', null)
  }
}

module.exports = { Client }
