// A WebSocket that comes back: capped backoff with jitter, and a fresh address for every try, so that a reader continues
// where it was. Knows no React.

export type SocketState = 'connecting' | 'live' | 'lost';

export type SocketOptions = {
  /** Path and query for the next connection. */
  path: () => string;
  onFrame: (text: string) => void;
  onState: (state: SocketState) => void;
};

const FIRST_WAIT = 150;
const MAX_RETRY_DELAY_MS = 5_000;
/** The server pings every 30 s; a socket that is silent for longer is not there any more. */
const IDLE_TIMEOUT_MS = 75_000;

export class Socket {
  private readonly options: SocketOptions;
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT;
  private timer: number | undefined;
  private alarm: number | undefined;
  private isClosed = false;

  constructor(options: SocketOptions) {
    this.options = options;
    window.addEventListener('online', this.retryNow);
    document.addEventListener('visibilitychange', this.retryWhenSeen);
    this.open();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.alarm);
    window.removeEventListener('online', this.retryNow);
    document.removeEventListener('visibilitychange', this.retryWhenSeen);
    this.socket?.close();
  }

  private open(): void {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(`${scheme}//${location.host}${this.options.path()}`);
    this.socket = socket;
    socket.onopen = () => {
      this.options.onState('live');
      this.listen();
    };
    socket.onmessage = (message) => {
      this.wait = FIRST_WAIT;
      this.listen();
      if (typeof message.data === 'string') this.options.onFrame(message.data);
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      clearTimeout(this.alarm);
      if (this.isClosed) return;
      this.options.onState('lost');
      this.timer = window.setTimeout(() => this.open(), this.wait * (0.75 + Math.random() / 2));
      this.wait = Math.min(this.wait * 2, MAX_RETRY_DELAY_MS);
    };
  }

  private listen(): void {
    clearTimeout(this.alarm);
    this.alarm = window.setTimeout(() => this.socket?.close(), IDLE_TIMEOUT_MS);
  }

  private readonly retryNow = () => {
    if (this.socket || this.isClosed) return;
    clearTimeout(this.timer);
    this.wait = FIRST_WAIT;
    this.open();
  };

  private readonly retryWhenSeen = () => {
    if (document.visibilityState === 'visible') this.retryNow();
  };
}
