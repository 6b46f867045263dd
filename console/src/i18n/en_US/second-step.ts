import type { Texts } from '../texts.ts';

export const texts: Texts['secondStep'] = {
  title: 'Two-step verification',
  text: 'Enter the six digits that your authenticator app shows for this account.',
  recoveryText: 'Enter a recovery code that you have not used. Each works once.',
  code: 'Code',
  recovery: 'Recovery code',
  codeMissing: 'Enter the six digits.',
  recoveryMissing: 'Enter a recovery code.',
  submit: 'Verify and sign in',
  useRecovery: 'Use a recovery code',
  useCode: 'Use the app’s code',
  back: 'Back to the password',
  passkey: 'Sign in with a passkey',
  refused: 'This account cannot sign in now.',
};
