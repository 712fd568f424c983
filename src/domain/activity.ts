/** One request of a token, as its activity shows it. `endpoint` is method and route template: `GET /v1/items/{id}`. */
export type Activity = { tokenId: string; at: Date; endpoint: string; status: number; durationMs: number }
