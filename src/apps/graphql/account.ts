import { extendSchema } from 'postgraphile/utils'

/** `account`: the studio's one account, which is a record and not a list. */
export const accountPlugin = extendSchema((build) => {
  const { account } = build.pgResources
  if (account === undefined) throw new Error('there is no view api_v1.account')
  return {
    typeDefs: /* GraphQL */ `
      extend type Query {
        "The studio's account: plan, billing period, currency, number of items."
        account: Account
      }
    `,
    objects: {
      Query: {
        plans: {
          account: () => account.find().single(),
        },
      },
    },
  }
})
