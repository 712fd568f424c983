/** How many times as many random cases are tried as by default; the nightly run tries ten times as many. */
export const deeper = Number(process.env.TEST_DEPTH ?? 1)
