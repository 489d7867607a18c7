"""A connection between notebook and kernel that sends small messages without a delay of 40 ms.

A kernel replies to a click on a widget with several small messages.  TCP holds the second one back
until the first is acknowledged (Nagle's algorithm), and the browser delays its acknowledgement.
Jupyter Server does not turn this off, so `make lab` passes this class as
`ServerApp.kernel_websocket_connection_class`.
"""

from asyncio import Future

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """The connection class of Jupyter Server, with TCP_NODELAY set."""

    def connect(self) -> Future[None] | None:
        """Connect, and send every message immediately from now on."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()
