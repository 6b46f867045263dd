import { expect, test } from 'vitest';
import { endSentence } from './relay-error.ts';

test.each([
  ['no answer', 'no answer.'],
  ['This model takes no pictures.', 'This model takes no pictures.'],
  ['连接被拒绝。', '连接被拒绝。'],
  ['what now?', 'what now?'],
])('%s ends in one full stop', (reason, told) => expect(endSentence(reason)).toBe(told));
