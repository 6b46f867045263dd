import { ApiError } from '#api/api-error.ts';

/** Whether a failed login, of whatever kind, means that the second step is wanted: mount `SecondStep` then. */
export const wantsSecondStep = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'login.second_factor';
