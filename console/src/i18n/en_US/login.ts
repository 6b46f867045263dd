import type { Texts } from '../texts.ts';

export const texts: Texts['login'] = {
  title: 'Sign in to {{name}}',
  username: 'User name or e-mail',
  password: 'Password',
  show: 'Show password',
  hide: 'Hide password',
  submit: 'Sign in',
  wrong: 'The user name or password is wrong.',
  usernameMissing: 'Enter your user name or e-mail.',
  passwordMissing: 'Enter your password.',
};
