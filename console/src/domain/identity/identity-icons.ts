import type { IdentityProvider } from '@relay-hub/contract';
import { Bird } from 'lucide-react';
import type { IconShape } from '#ui/basic/icon.tsx';
import { markIcon } from '#ui/basic/mark.tsx';

/** Icons of the identity providers. */
export const identityIcons: Record<IdentityProvider, IconShape> = {
  github: markIcon('github'),
  lark: Bird,
  oidc: markIcon('openid'),
  wechat: markIcon('wechat'),
  telegram: markIcon('telegram'),
};
