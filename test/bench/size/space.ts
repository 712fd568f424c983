import { statfs } from 'node:fs/promises'

const least = { folder: 4, root: 6 }

/** The space left where the data lie and on the root, in words; with a reason to stop when there is too little. */
export async function enoughSpace(folder: string): Promise<{ text: string; reason: string | undefined }> {
  const [here, root] = [await free(folder), await free('/')]
  const text = `${here.toFixed(1)} GB free for data, ${root.toFixed(1)} GB on /`
  const low = here < least.folder || root < least.root
  return { text, reason: low ? `little space was left: ${text}` : undefined }
}

async function free(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return (bavail * bsize) / 2 ** 30
}
