import type { newUserGroup } from '@relay-hub/contract';
import type * as z from 'zod/mini';

/** Fields of the form of a user group, as entered. */
export type GroupValues = z.input<typeof newUserGroup>;

/** The same as sent. */
export type GroupBody = z.output<typeof newUserGroup>;
