/** How many times as many random cases as by default; ten at night. */
export const deeper = Number(process.env.TEST_DEPTH ?? 1)
