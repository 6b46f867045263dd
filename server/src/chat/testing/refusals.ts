import { expect } from 'vitest';
import { BadChatRequest } from '../chat-errors.ts';

/** Expects that the work refuses the request, and names this field. */
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
