import { useSession } from '#api/session.ts';
import { useHasScreen } from '../use-screens.ts';

interface PublicPage {
  path: string;
  titleKey: 'home' | 'playground' | 'price' | 'about';
  signedIn?: boolean;
}

const pages: PublicPage[] = [
  { path: '/', titleKey: 'home' },
  { path: '/playground', titleKey: 'playground', signedIn: true },
  { path: '/price', titleKey: 'price' },
  { path: '/about', titleKey: 'about' },
];

/** The pages of the public menu that the visitor may open. */
export function usePublicPages(): PublicPage[] {
  const hasScreen = useHasScreen();
  const { user } = useSession();
  return pages.filter((page) => hasScreen(page.path) && (user !== undefined || !page.signedIn));
}
