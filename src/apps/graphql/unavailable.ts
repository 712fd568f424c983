/** The answer while the schema cannot be built. In a file of its own: it is also given where nothing else of GraphQL is loaded. */
export const unavailable = {
  status: 503,
  message: 'The service cannot answer at the moment. Please try again shortly.',
  headers: { 'Retry-After': '2' },
} as const
