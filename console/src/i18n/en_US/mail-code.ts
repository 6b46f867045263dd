import type { Texts } from '../texts.ts';

export const texts: Texts['mailCode'] = {
  email: 'E-mail',
  missing: 'Enter your e-mail address.',
  code: 'Verification code',
  send: 'Get a code',
  again: 'Again in {{seconds}} s',
  sent: 'A code is on its way to {{email}}. It is valid for 10 minutes.',
};
