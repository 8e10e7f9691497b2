import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from '@/app';
import { handleKey } from '@/lib/keys';
import { startTheme } from '@/lib/theme';
import '@/ui/styles.css';

// The content policy allows only style tags that carry the nonce of this page.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
if (nonce) setNonce(nonce);

startTheme();
window.addEventListener('keydown', handleKey);

const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
