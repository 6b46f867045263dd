import type { IdentityProvider } from '@relay-hub/contract';
import { Bird, CodeXml, QrCode, Send, ShieldCheck } from 'lucide-react';
import type { IconShape } from '#ui/basic/icon.tsx';

/** Icons of the identity providers. */
export const identityIcons: Record<IdentityProvider, IconShape> = {
  github: CodeXml,
  lark: Bird,
  oidc: ShieldCheck,
  wechat: QrCode,
  telegram: Send,
};
