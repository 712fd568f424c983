const contentTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
}

/** Names separated by slashes. No name begins with a dot, so none leads upwards and none is hidden; none is empty. */
const safeKey = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\.([a-z]+)$/

/** The content type of a photo's key; null when the key is unsafe or of another type. SVG could carry scripts. */
export function contentTypeOf(key: string): string | null {
  const extension = safeKey.exec(key)?.[1]
  return (extension !== undefined && Object.hasOwn(contentTypes, extension) && contentTypes[extension]) || null
}
