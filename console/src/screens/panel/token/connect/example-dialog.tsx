import type { Token } from '@relay-hub/contract';
import { CircleCheck, ExternalLink, KeyRound } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useServerAddress } from '#api/site.ts';
import { useChatLinks } from '#api/use-chat-links.ts';
import { Button } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Secret } from '#ui/form/secret.tsx';
import { CallWatch } from './call-watch.tsx';
import { TokenSnippets } from './token-snippets.tsx';
import { useOpenChat } from '#domain/chat/use-open-chat.ts';
import { useTokenKey } from '#domain/token/use-token-key.ts';

export interface TokenExample {
  token: Token;
  /** The full key, right after creation. */
  key?: string | undefined;
}

interface Props {
  example: TokenExample;
  onClose: () => void;
}

/** A first call: key, base URL, code, chat clients; shows when the call arrives. */
export function ExampleDialog({ example: { token, key }, onClose }: Props) {
  const { t } = useTranslation('token');
  const copyButton = useRef<HTMLButtonElement>(null);
  const fetchKey = useTokenKey(token.id);
  const loadKey = () => (key === undefined ? fetchKey() : Promise.resolve(key));
  const address = `${useServerAddress()}/v1`;
  const isNew = key !== undefined;
  return (
    <Dialog
      title={t(isNew ? 'readyTitle' : 'exampleTitle', { name: token.name })}
      text={t(isNew ? 'readyText' : 'exampleText')}
      icon={isNew ? CircleCheck : KeyRound}
      iconTone={isNew ? 'text-ok' : 'text-text2'}
      initialFocus={copyButton}
      onClose={onClose}
      footer={(close) => (
        <>
          <CallWatch token={token} />
          <Button onClick={close}>{t('done')}</Button>
        </>
      )}
    >
      <div className="grid grid-cols-1 gap-2.5">
        <Fact label={t('key')}>
          <Secret
            boxed
            masked={token.key}
            load={loadKey}
            name={t('keyOf', { name: token.name })}
            copyWords={t('copyKey')}
            copyRef={copyButton}
          />
        </Fact>
        <Fact label={t('address')}>
          <span className="flex h-9 items-center rounded-control border border-line2 bg-sunk pr-0.5 pl-2.5 max-sm:h-11">
            <span className="min-w-0 flex-1 truncate font-mono text-12">{address}</span>
            <CopyButton text={address} name={t('address')} />
          </span>
        </Fact>
      </div>
      <TokenSnippets token={token} address={address} loadKey={loadKey} />
      <ChatClients loadKey={loadKey} />
    </Dialog>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid items-center gap-x-3 gap-y-1 text-13 sm:grid-cols-[92px_minmax(0,1fr)]">
      <span className="text-text2">{label}</span>
      {children}
    </div>
  );
}

function ChatClients({ loadKey }: { loadKey: () => Promise<string> }) {
  const { t } = useTranslation('token');
  const links = useChatLinks();
  const open = useOpenChat(loadKey);
  if (links.length === 0) return null;
  return (
    <div className="mt-4">
      <p className="mb-2 text-13 text-text2">{t('openFilled')}</p>
      <div className="flex flex-wrap gap-2">
        {links.map((link) => (
          <Button key={link.name} size="sm" onClick={() => open(link)}>
            {link.name}
            <Icon of={ExternalLink} size={14} />
          </Button>
        ))}
      </div>
    </div>
  );
}
