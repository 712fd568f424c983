import { z } from 'zod'
import { responseMeta } from '../../api/envelope-schemas.ts'
import { components } from '../../api/fields.ts'
import { type ProblemCode, problemDefinitions } from '../../http/problems.ts'

const codes = Object.keys(problemDefinitions) as [ProblemCode, ...ProblemCode[]]

const problemCode = z
  .enum(codes)
  .describe('Stable identifier of the error; each is explained where `type` points.')
  .register(components, { id: 'ProblemCode' })

const parameterError = z
  .strictObject({
    parameter: z.string().describe('Name of the query parameter.'),
    code: z.string().describe('Stable identifier of the error.'),
    detail: z.string().describe('What is accepted.'),
    allowed: z.array(z.string()).optional().describe('The accepted values, for a parameter that has a fixed set.'),
  })
  .describe('An invalid query parameter.')
  .register(components, { id: 'ParameterError' })

/** The body of every error: `application/problem+json` (RFC 9457) and this service's members. */
export const problem = z
  .strictObject({
    type: z.url().describe('Where the error is explained.'),
    title: z.string().describe('The error in a few words, the same for every occurrence.'),
    status: z.int().min(400).max(599).describe('The status of the response.'),
    detail: z.string().describe('What happened, or what to do.'),
    code: problemCode,
    request_id: z.uuid().describe('Quote it to support. Also in the header `X-Request-Id`.'),
    _meta: responseMeta,
    errors: z
      .array(parameterError)
      .min(1)
      .optional()
      .describe('With code `invalid_parameter`: every invalid parameter.'),
  })
  .describe('An error in the format of RFC 9457. Every error of the service has this body.')
  .register(components, { id: 'Problem' })
