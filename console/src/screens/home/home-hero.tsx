import { Link, useRouter } from '@tanstack/react-router';
import { Fragment } from 'react';
import { ArrowRight } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { useServerAddress, useSite, useSiteName } from '#api/site.ts';
import { Button } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Snippets } from './snippets.tsx';

interface Props {
  count: number;
  model: string | undefined;
}

export function HomeHero({ count, model }: Props) {
  const { t } = useTranslation('home');
  const address = `${useServerAddress()}/v1`;
  return (
    <section className="grid items-center gap-x-14 gap-y-8 pt-16 pb-14 max-sm:pt-7 max-sm:pb-10 lg:grid-cols-[minmax(0,1fr)_600px]">
      <div className="min-w-0">
        <h1 className="text-40 tracking-[-0.015em] whitespace-pre-line max-sm:text-[32px]/10">
          {t('headline', { count })}
        </h1>
        <p className="mt-4 mb-7 max-w-[44ch] text-[17px]/6.5 text-text2 max-sm:mt-2.5 max-sm:mb-5 max-sm:text-16">
          {t('lead', { name: useSiteName() })}
        </p>
        <div className="flex items-center gap-3 rounded-card border border-line bg-card py-1.5 pr-1.5 pl-4">
          <div className="min-w-0 flex-1">
            <div className="text-12 text-text3">{t('address')}</div>
            <div className="truncate font-mono text-15">{address}</div>
          </div>
          <CopyButton text={address} name={t('address')} variant="ghost" size="lg">
            {t('copy')}
          </CopyButton>
        </div>
        <p className="mt-2.5 text-13 text-text3">
          <TextWithElements text={t('clients')} parts={{ paths: <Paths /> }} />
        </p>
        <ConnectLink />
        <Entrances />
      </div>
      <Snippets address={address} model={model} count={count} />
    </section>
  );
}

/** Paths that each dialect's clients append to this site's address. */
function Paths() {
  return (
    <span className="whitespace-nowrap">
      {['/v1', '/claude', '/gemini'].map((path, index) => (
        <Fragment key={path}>
          {index > 0 && ', '}
          <code className="font-mono">{path}</code>
        </Fragment>
      ))}
    </span>
  );
}

function Entrances() {
  const { t } = useTranslation('home');
  const { user } = useSession();
  const starts = useSite()?.register_enabled === true && !user;
  const prices: string = '/price';
  const hasPrices = Object.hasOwn(useRouter().routesByPath, prices);
  return (
    <div className="mt-6 flex flex-wrap gap-2.5 max-sm:mt-4">
      {starts && (
        <Button variant="primary" size="lg" className="max-sm:flex-1" render={<Link to="/register" />}>
          {t('getStarted')}
        </Button>
      )}
      <Button
        variant={starts ? 'default' : 'primary'}
        size="lg"
        className="max-sm:flex-1"
        render={<Link to={user ? '/panel' : '/login'} />}
      >
        {t(user ? 'console' : 'signIn')}
      </Button>
      {hasPrices && (
        <Button variant="ghost" size="lg" className="max-sm:flex-1" render={<Link to={prices} />}>
          {t('prices')}
        </Button>
      )}
    </div>
  );
}

/** To the recipes for tools; visitors sign in on the way. */
function ConnectLink() {
  const { t } = useTranslation('home');
  return (
    <Link
      to="/panel/token"
      search={{ connect: 'any' }}
      className="mt-1 inline-flex min-h-8 items-center gap-1.5 text-13 text-accent hover:underline max-sm:min-h-11"
    >
      {t('useInTool')}
      <Icon of={ArrowRight} size={14} />
    </Link>
  );
}
