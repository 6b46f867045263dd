import type { Texts } from '../texts.ts';

export const texts: Texts['secondStep'] = {
  title: 'Two-step verification',
  text: 'Enter the six-digit code from your authenticator app.',
  recoveryText: 'Enter an unused recovery code. Each works once.',
  code: 'Code',
  recovery: 'Recovery code',
  codeMissing: 'Enter the six-digit code.',
  recoveryMissing: 'Enter a recovery code.',
  submit: 'Verify and sign in',
  useRecovery: 'Use a recovery code',
  useCode: 'Use your authenticator app',
  back: 'Back to password',
  passkey: 'Sign in with a passkey',
  refused: 'This account cannot sign in right now.',
};
