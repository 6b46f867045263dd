import { expect } from 'vitest';
import { BadChatRequest } from '../chat-errors.ts';

export function expectRefusal(work: () => unknown, field: string | undefined): void {
  let refusal: unknown;
  try {
    work();
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(BadChatRequest);
  expect((refusal as BadChatRequest).field).toBe(field);
}
