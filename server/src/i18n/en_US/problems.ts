import type { ProblemTexts } from '../text-types.ts';

export const problems: ProblemTexts = {
  required: 'is required',
  kinds: {
    text: 'text',
    number: 'a number',
    whole: 'a whole number',
    flag: 'true or false',
    list: 'a list',
    object: 'an object',
  },
  expected: (kind) => `must be ${kind}`,
  atLeast: {
    characters: (limit) => (limit === '1' ? 'cannot be empty' : `must have at least ${limit} characters`),
    entries: (limit) => `must have at least ${limit} ${limit === '1' ? 'entry' : 'entries'}`,
    number: (limit) => `must be at least ${limit}`,
  },
  atMost: {
    characters: (limit) => `must have at most ${limit} characters`,
    entries: (limit) => `must have at most ${limit} ${limit === '1' ? 'entry' : 'entries'}`,
    number: (limit) => `must be at most ${limit}`,
  },
  above: (limit) => `must be greater than ${limit}`,
  below: (limit) => `must be less than ${limit}`,
  multiple: (of) => `must be a multiple of ${of}`,
  oneOf: (values) => `must be one of: ${values}`,
  unknownKeys: (keys) => `contains unknown fields: ${keys}`,
  ignored: (field) => `${field}: ignored, because this request does not change or use it`,
  format: 'has an invalid format',
  invalid: 'is invalid',
};
