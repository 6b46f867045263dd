import { ApiError } from '#api/api-error.ts';

/** Whether a failed sign-in of any kind only lacks the second step: render `SecondStep` then. */
export const needsSecondStep = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'login.second_factor';
