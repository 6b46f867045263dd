import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';

/** To the recipes for tools; visitors sign in on the way. */
export function ConnectLink() {
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
