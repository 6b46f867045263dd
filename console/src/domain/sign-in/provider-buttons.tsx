import { useTranslation } from '#i18n/use-translation.ts';
import { identityIcons } from '#domain/identity/identity-icons.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';

/** The providers in the order of their buttons. */
export const providers = ['github', 'lark', 'oidc', 'wechat'] as const;
export type Provider = (typeof providers)[number];

/** By number of providers. */
const columns = ['', '', 'grid-cols-2', 'grid-cols-3', 'grid-cols-2'];

interface Props {
  providers: readonly Provider[];
  /** The provider whose sign-in has started. */
  busy: Provider | undefined;
  onChoose: (provider: Provider) => void;
}

/** A button per provider. Needs the texts `elsewhere`. */
export function ProviderButtons({ providers: shown, busy, onChoose }: Props) {
  const { t } = useTranslation('elsewhere');
  return (
    <div className={cx('grid gap-2', columns[shown.length])}>
      {shown.map((provider) => (
        <Button
          key={provider}
          size="lg"
          icon={identityIcons[provider]}
          busy={busy === provider}
          aria-label={t('with', { provider: t(provider) })}
          className="min-w-0 px-2"
          onClick={() => onChoose(provider)}
        >
          {t(provider)}
        </Button>
      ))}
    </div>
  );
}
