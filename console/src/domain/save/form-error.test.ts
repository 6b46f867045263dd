import { expect, test } from 'vitest';
import { ApiError } from '#api/api-error.ts';
import { messageAt } from './form-error.ts';

test.each([
  ['models', 'models: must have at most 60000 characters', 'Must have at most 60000 characters'],
  ['models', 'models：最多 60000 个字符', '最多 60000 个字符'],
  [
    'username',
    'Usernames have 3 to 64 characters, no spaces or @',
    'Usernames have 3 to 64 characters, no spaces or @',
  ],
  ['name', 'name already exists', 'name already exists'],
  [undefined, 'body: is invalid', 'body: is invalid'],
])('at the field %s, “%s” reads “%s”', (field, message, shown) => {
  expect(messageAt(new ApiError({ status: 400, message, field }))).toBe(shown);
});
