// The data of the page: arrays come as base64 of little-endian bytes.

const page = JSON.parse(document.getElementById("page-data").textContent);

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

const ARRAYS = { u1: Uint8Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };

function unpack(packed) {
  if (packed === null) return null;
  const bytes = bytesOf(packed.data);
  if (packed.type !== "small") return new ARRAYS[packed.type](bytes.buffer);
  // A byte of 255 stands for the next number of the second list.
  const rest = new Int32Array(bytesOf(packed.rest).buffer);
  const numbers = new Int32Array(bytes.length);
  let next = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    numbers[i] = bytes[i] < 255 ? bytes[i] : rest[next++];
  }
  return numbers;
}
