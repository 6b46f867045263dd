import type { Token } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { AppWindow, ExternalLink, KeyRound, MessagesSquare } from 'lucide-react';
import { useEffect, useState } from 'react';
import { TokenSelect } from '#domain/token/token-select.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { type ChatLink, destinationOf, hasKeyInQuery } from '#api/chat-links.ts';
import { useChatLinks } from '#api/use-chat-links.ts';
import { useChatAddress, useOpenChat } from '#domain/chat/use-open-chat.ts';
import { connectTokens } from '#domain/token/connect-tokens.ts';
import { useTokenKey } from '#domain/token/use-token-key.ts';
import { Button } from '#ui/basic/button.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';

const route = getRouteApi('/panel/chat');

/** Opens a chat client of the operator with a token of the user, in its own tab or app, or in a frame if it may be. */
export function ChatScreen() {
  const { t } = useTranslation('chat');
  const { client, token: tokenId } = route.useSearch();
  const navigate = route.useNavigate();
  const links = useChatLinks();
  const link = links.find(({ name }) => name === client) ?? links[0];
  const { data: tokens = [] } = useQuery(connectTokens(tokenId));
  const token = tokens.find(({ id }) => id === tokenId) ?? tokens[0];
  if (!link) return <EmptyState icon={MessagesSquare} title={t('none')} text={t('noneText')} />;
  const choose = (search: { client?: string; token?: number }) =>
    void navigate({ search: (current) => ({ ...current, ...search }), replace: true });
  return (
    <>
      <PageHeader title={link.name} text={t('text', { place: destinationOf(link.url) })} />
      {token ? (
        <Client
          key={`${link.name} ${token.id}`}
          {...{ link, links, token, tokens }}
          onLink={(name) => choose({ client: name })}
          onToken={(id) => choose({ token: id })}
        />
      ) : (
        <EmptyState
          icon={KeyRound}
          title={t('noToken')}
          text={t('noTokenText')}
          action={
            <Button variant="primary" saves render={<Link to="/panel/token" search={{ edit: 'new' }} />}>
              {t('create')}
            </Button>
          }
        />
      )}
    </>
  );
}

interface ClientProps {
  link: ChatLink;
  links: readonly ChatLink[];
  token: Token;
  tokens: readonly Token[];
  onLink: (name: string) => void;
  onToken: (id: number) => void;
}

function Client({ link, links, token, tokens, onLink, onToken }: ClientProps) {
  const { t } = useTranslation('chat');
  const loadKey = useTokenKey(token.id);
  const open = useOpenChat(loadKey);
  const addressOf = useChatAddress(loadKey);
  const [framed, setFramed] = useState<string>();
  const [busy, setBusy] = useState(false);
  const show = async () => {
    setBusy(true);
    // The request for the key shows its own error.
    setFramed(await addressOf(link).catch(() => undefined));
    setBusy(false);
  };
  if (framed !== undefined) return <ChatFrame address={framed} title={link.name} />;
  return (
    <section className="grid max-w-160 grid-cols-1 gap-4 rounded-card border border-line bg-card p-5 max-sm:p-4">
      {links.length > 1 && (
        <Field label={t('client')}>
          {(aria) => (
            <Select
              aria={aria}
              value={link.name}
              options={links.map(({ name, url }) => ({ value: name, label: name, note: destinationOf(url) }))}
              onChange={onLink}
            />
          )}
        </Field>
      )}
      <Field label={t('token')} hint={t('tokenHint', { place: destinationOf(link.url) })}>
        {(aria) => <TokenSelect aria={aria} value={token.id} tokens={tokens} onChange={onToken} />}
      </Field>
      {hasKeyInQuery(link.url) && <Note tone="warn">{t('keyInQuery')}</Note>}
      <div className="flex flex-wrap gap-2">
        {link.embed && (
          <Button variant="primary" icon={AppWindow} saves={false} busy={busy} onClick={() => void show()}>
            {t('show')}
          </Button>
        )}
        <Button
          variant={link.embed ? 'default' : 'primary'}
          icon={ExternalLink}
          saves={false}
          onClick={() => open(link)}
        >
          {t('open')}
        </Button>
      </div>
    </section>
  );
}

/** A chat client in a frame. It cannot navigate this page, and has no access to it. */
function ChatFrame({ address, title }: { address: string; title: string }) {
  const { t } = useTranslation('chat');
  const [blocked, setBlocked] = useState(false);
  useEffect(() => {
    // The policy is that of the moment when this tab was loaded, so a link that was marked since is not in it.
    const onViolation = ({ effectiveDirective }: SecurityPolicyViolationEvent) =>
      effectiveDirective === 'frame-src' && setBlocked(true);
    document.addEventListener('securitypolicyviolation', onViolation);
    return () => document.removeEventListener('securitypolicyviolation', onViolation);
  }, []);
  if (blocked)
    return (
      <div className="grid justify-items-start gap-3">
        <Note tone="warn" live>
          {t('blocked')}
        </Note>
        <Button onClick={() => location.reload()}>{t('reload')}</Button>
      </div>
    );
  // A page of the same origin must not access the console from its frame.
  const foreign = new URL(address).origin !== location.origin;
  return (
    <iframe
      src={address}
      title={title}
      sandbox={`allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads${foreign ? ' allow-same-origin' : ''}`}
      referrerPolicy="no-referrer"
      className="block h-[calc(100dvh-180px)] min-h-100 w-full rounded-card border border-line bg-card"
    />
  );
}
