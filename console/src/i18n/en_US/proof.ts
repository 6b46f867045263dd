import type { Texts } from '../texts.ts';

export const texts: Texts['proof'] = {
  title: 'Confirm that it is you',
  text: 'What comes next matters, so confirm first. You are not asked again for ten minutes.',
  passkey: 'Confirm with a passkey',
  or: 'or',
  way: 'How to confirm',
  password: 'Password',
  code: 'Code',
  codeHint: 'The six digits that your authenticator app shows for this account.',
  passwordMissing: 'Enter your password.',
  codeMissing: 'Enter the code.',
  wrong: 'A code has six digits.',
  confirm: 'Confirm',
  none: 'This account has neither a password nor a passkey. Sign out and in again, and do it within ten minutes.',
};
