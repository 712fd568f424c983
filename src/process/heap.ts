import { setFlagsFromString } from 'node:v8'

/**
 * Lets V8 look for garbage when its heap has doubled since the last time, instead of grown by several times. What a request
 * leaves behind is many times what the service holds: with V8's own measure it keeps a hundred megabytes of it.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=100')
}
