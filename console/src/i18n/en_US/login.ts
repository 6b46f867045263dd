import type { Texts } from '../texts.ts';

export const texts: Texts['login'] = {
  title: 'Sign in to {{name}}',
  username: 'User name or e-mail',
  password: 'Password',
  show: 'Show password',
  hide: 'Hide password',
  submit: 'Sign in',
  wrong: 'The user name or password is wrong.',
  wrongAgain: 'The password is wrong, or this account can no longer sign in.',
  usernameMissing: 'Enter your user name or e-mail.',
  passwordMissing: 'Enter your password.',
  ways: 'Ways to sign in',
  byPassword: 'With a password',
  byCode: 'Code by mail',
  forgot: 'Forgot it?',
  noAccount: 'No account yet?',
  toRegister: 'Register',
  sent: 'If this address belongs to an account, a code is on its way. It is valid for 3 minutes.',
  wait: 'Checking that you are human. Wait a moment and try again.',
};
