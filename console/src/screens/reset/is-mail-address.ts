import { mailAddress } from '@relay-hub/contract';

/** Whether a text is one mail address. A separate file, since the check is larger than the whole page. */
export const isMailAddress = (text: string): boolean => mailAddress.safeParse(text).success;
