// The tab's title and icon, with the number of things that wait for a person.

const name = 'Amelia';
let page = '';
let count = 0;

export function setPageTitle(title: string): void {
  page = title;
  show();
}

/** Shows `(3)` before the title and draws the number on the icon. */
export function setAttentionCount(next: number): void {
  if (next === count) return;
  count = next;
  show();
  void drawIcon(next);
}

function show(): void {
  const title = page ? `${page} · ${name}` : name;
  document.title = count > 0 ? `(${count}) ${title}` : title;
}

const plain = `${import.meta.env.BASE_URL}favicon.svg`;

async function drawIcon(shown: number): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (!link) return;
  if (shown === 0) {
    link.type = 'image/svg+xml';
    link.href = plain;
    return;
  }
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext('2d');
  if (!pen) return;
  const image = new Image();
  image.src = plain;
  try {
    await image.decode();
  } catch {
    return;
  }
  if (shown !== count) return;
  pen.drawImage(image, 0, 0, 64, 64);
  pen.fillStyle = '#f0a020';
  pen.beginPath();
  pen.arc(44, 44, 20, 0, Math.PI * 2);
  pen.fill();
  pen.fillStyle = '#1d1b20';
  pen.font = 'bold 28px sans-serif';
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillText(shown > 9 ? '9+' : String(shown), 44, 46);
  link.type = 'image/png';
  link.href = canvas.toDataURL('image/png');
}
