import type { IdentityProvider, User } from '@relay-hub/contract';

export interface BoundAccount {
  at: IdentityProvider | 'email';
  /** The user's name there; empty if only a number is known. */
  name: string;
}

/** Sign-in methods of an account besides the password, in the profile's order. */
export function boundAccounts(user: User): BoundAccount[] {
  const all: (BoundAccount | false)[] = [
    user.email !== '' && { at: 'email', name: user.email },
    user.github_id_new !== 0 && { at: 'github', name: user.github_id },
    user.lark_id !== '' && { at: 'lark', name: user.lark_id },
    user.wechat_id !== '' && { at: 'wechat', name: user.wechat_id },
    user.telegram_id !== 0 && { at: 'telegram', name: String(user.telegram_id) },
    user.oidc_id !== '' && { at: 'oidc', name: user.oidc_id },
  ];
  return all.filter((each) => each !== false);
}
