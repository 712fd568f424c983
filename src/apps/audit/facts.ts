/** What is known of an object: an aspect and its value. */
export type Facts = Record<string, string>
