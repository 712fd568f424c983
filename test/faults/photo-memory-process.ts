import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createThumbnails } from '../../src/report/thumbnails.ts'

/** Opens a photo twelve times at once, and prints what became of it and by how many bytes that
 * raised the most memory that this process had. */
const photo = await readFile(process.argv[2] ?? '')
const before = process.memoryUsage().rss
const thumbnails = createThumbnails(
  {
    sign: async (key) => `http://localhost/photos/${key}`,
    open: async () => ({ contentType: 'image/jpeg', bytes: photo.length, content: Readable.from([photo]) }),
  },
  960,
)
const made = await Promise.all(Array.from({ length: 12 }, () => thumbnails('photo')))
const shown = made.filter((thumbnail) => typeof thumbnail === 'object').length
console.log(JSON.stringify({ shown, bytes: process.resourceUsage().maxRSS * 1024 - before }))
