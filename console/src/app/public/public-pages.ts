import { useSession } from '#api/session.ts';
import { useSite } from '#api/site.ts';
import { useHasScreen } from '../use-screens.ts';

interface PublicPage {
  path: string;
  titleKey: 'home' | 'playground' | 'price' | 'status' | 'about';
  signedIn?: boolean;
  /** Only while the site has it. */
  needsStatus?: boolean;
}

const pages: PublicPage[] = [
  { path: '/', titleKey: 'home' },
  { path: '/playground', titleKey: 'playground', signedIn: true },
  { path: '/price', titleKey: 'price' },
  { path: '/status', titleKey: 'status', needsStatus: true },
  { path: '/about', titleKey: 'about' },
];

/** The pages of the public menu that the visitor may open. */
export function usePublicPages(): PublicPage[] {
  const hasScreen = useHasScreen();
  const { user } = useSession();
  const hasStatus = useSite()?.status_page === true;
  return pages.filter(
    (page) => hasScreen(page.path) && (user !== undefined || !page.signedIn) && (hasStatus || !page.needsStatus),
  );
}
