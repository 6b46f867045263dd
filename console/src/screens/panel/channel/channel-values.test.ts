import { expect, test } from 'vitest';
import { freeName, keysIn } from './channel-values.ts';

test.each([
  ['OpenAI', [], 'OpenAI'],
  ['OpenAI', ['OpenAI'], 'OpenAI-2'],
  ['OpenAI', ['OpenAI', 'OpenAI-2'], 'OpenAI-3'],
  ['azure-2', ['azure-2'], 'azure-3'],
  ['azure-2', ['azure-2', 'azure-3'], 'azure-4'],
])('%s beside %j becomes %s', (wanted, names, name) => expect(freeName(wanted, names)).toBe(name));

test('a key a line, without blanks', () => expect(keysIn(' a \n\n\r\nb\r\n')).toEqual(['a', 'b']));
