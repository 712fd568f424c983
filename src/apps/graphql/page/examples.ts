/** A query that the page starts from. */
export type Example = { title: string; query: string; variables?: string }

/** The first is what the page opens with. Those of docs/graphql.md, for any studio. */
export const examples: readonly [Example, ...Example[]] = [
  {
    title: 'What is the equipment worth?',
    query: `{
  account { name currency }
  items {
    totalCount
    aggregates {
      sum { currentEstimatedValue reportedInsuredValue gapAmount }
      average { currentEstimatedValue }
      max { currentEstimatedValue acquisitionDate }
    }
  }
}`,
  },
  {
    title: 'How is it covered, by state?',
    query: `{
  items {
    groupedAggregates(groupBy: [COVERAGE_STATE]) {
      keys
      distinctCount { id }
      sum { currentEstimatedValue reportedInsuredValue }
    }
  }
}`,
  },
  {
    title: 'What was bought in each month of a year?',
    query: `query ($from: Date!, $to: Date!) {
  items(filter: { acquisitionDate: { greaterThanOrEqualTo: $from, lessThan: $to } }) {
    groupedAggregates(groupBy: [ACQUISITION_DATE_TRUNCATED_TO_MONTH]) {
      keys
      distinctCount { id }
      sum { purchasePrice }
    }
  }
}`,
    variables: '{ "from": "2025-01-01", "to": "2026-01-01" }',
  },
  {
    title: 'What is where?',
    query: `{
  locations(first: 10, orderBy: NAME_ASC) {
    nodes {
      name
      parent { name }
      items {
        totalCount
        aggregates { sum { currentEstimatedValue } }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`,
  },
  {
    title: 'What is insured by which policy?',
    query: `{
  policies(first: 5, orderBy: OVERALL_LIMIT_DESC, filter: { active: { equalTo: true } }) {
    nodes {
      name
      overallLimit
      assignments(first: 3, orderBy: DECLARED_VALUE_DESC) {
        nodes { declaredValue item { name category } }
        aggregates { sum { declaredValue } }
      }
    }
  }
}`,
  },
]
