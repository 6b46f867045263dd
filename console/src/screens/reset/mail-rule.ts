import { mailAddress } from '@relay-hub/contract';

/** Whether a text is one mail address. In a file of its own, because what checks it is heavier than the whole page. */
export const isMailAddress = (text: string): boolean => mailAddress.safeParse(text).success;
