import type { Texts } from '../texts.ts';

export const texts: Texts['mailCode'] = {
  email: 'Email',
  missing: 'Enter your email address.',
  code: 'Verification code',
  send: 'Send code',
  again: 'Resend in {{seconds}} s',
  sent: 'A code is on its way to {{email}}. It is valid for 10 minutes.',
};
