// SPDX-License-Identifier: MIT
// The embedded data: base64 of gzip of "TWR1", the length of the head, the head (JSON), columns of numbers. It comes in
// pieces of whole groups of four: a browser takes seconds for one element with many megabytes of text.

function bytesOf(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

async function inflate(pieces) {
    if (typeof DecompressionStream === 'undefined')
        throw new Error(
            'this browser cannot decompress data (DecompressionStream: Chrome 80, Firefox 113, Safari 16.4)',
        );
    const stream = new Blob(pieces).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
}

const ARRAYS = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array };

// Columns are views of the one buffer; they begin at multiples of 8 bytes.
export function parse(buffer) {
    const start = new Uint8Array(buffer, 0, Math.min(8, buffer.byteLength));
    if (start.length < 8 || String.fromCharCode(...start.subarray(0, 4)) !== 'TWR1')
        throw new Error('the data does not begin as a report does');
    const length = new DataView(buffer).getUint32(4, true);
    const base = 8 + length;
    if (base > buffer.byteLength) throw new Error('the data is cut short');
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
    const columns = {};
    for (const [name, [type, offset, count]] of Object.entries(head.columns)) {
        const Type = ARRAYS[type];
        if (!Type || base + offset + count * Type.BYTES_PER_ELEMENT > buffer.byteLength)
            throw new Error(`the column ${name} is cut short`);
        columns[name] = new Type(buffer, base + offset, count);
    }
    return { head, columns };
}

export async function decode(texts) {
    return parse(await inflate(texts.map((text) => bytesOf(text.trim()))));
}
