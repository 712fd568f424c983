/** By this factor there are more random cases than by default; at night it is ten. */
export const deeper = Number(process.env.TEST_DEPTH ?? 1)
