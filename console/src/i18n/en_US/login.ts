import type { Texts } from '../texts.ts';

export const texts: Texts['login'] = {
  title: 'Sign in to {{name}}',
  username: 'Username or email',
  password: 'Password',
  show: 'Show password',
  hide: 'Hide password',
  submit: 'Sign in',
  wrong: 'Incorrect username or password.',
  wrongAgain: 'The password is wrong, or this account can no longer sign in.',
  usernameMissing: 'Enter your username or email.',
  passwordMissing: 'Enter your password.',
  ways: 'Sign-in methods',
  byPassword: 'With password',
  byCode: 'With email code',
  forgot: 'Forgot password?',
  noAccount: 'No account yet?',
  toRegister: 'Register',
  sent: 'If this address belongs to an account, a code is on its way. It is valid for 3 minutes.',
  wait: 'Verifying that you are human. Wait a moment, then try again.',
};
