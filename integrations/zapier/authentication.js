module.exports = {
  type: 'custom',
  fields: [
    {
      key: 'base_url',
      label: 'Address',
      required: true,
      helpText: 'Where the service is, without /v1: for example https://api.example.com',
    },
    {
      key: 'token',
      label: 'Token',
      type: 'password',
      required: true,
      helpText: 'A token from the console of the service. It begins with `svc_`.',
    },
  ],
  test: async (z, { authData }) => (await z.request({ url: `${authData.base_url}/v1/account` })).data.data,
  connectionLabel: '{{name}}',
}
