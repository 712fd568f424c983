import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'

const compress = promisify(deflate)

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** One chunk: length, type, data, and the CRC of type and data. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/**
 * Encodes a picture of palette indexes as a PNG (ISO/IEC 15948): colour type 3, eight bits, no interlace.
 *
 * `pixels` holds width × height indexes row by row, `palette` up to 256 colours as RGB triples. Throws a RangeError when
 * the sizes do not fit each other.
 */
export async function encodePng(
  width: number,
  height: number,
  pixels: Uint8Array,
  palette: Uint8Array,
): Promise<Buffer> {
  if (pixels.length !== width * height) throw new RangeError(`expected ${width * height} pixels, got ${pixels.length}`)
  if (palette.length % 3 !== 0 || palette.length === 0 || palette.length > 768) {
    throw new RangeError('a palette holds 1 to 256 RGB triples')
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  // Every row starts with its filter; 0 (none) is the right one for palette indexes.
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', await compress(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
