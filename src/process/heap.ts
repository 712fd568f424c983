import { setFlagsFromString } from 'node:v8'

/**
 * Has V8 collect garbage when its heap has doubled since the last time, instead of grown by several times. The garbage of
 * requests is many times the live data: with V8's own growth factor, a hundred megabytes of it stay on the heap.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=100')
}
